"""The chat reader: the protocol that comment viewers speak to 棒読みちゃん (BouyomiChan), and the rules of what is read."""
