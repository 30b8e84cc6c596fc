"""Text on its way to sound: symbols, phones and morae, sentences, readings, the user's dictionary, texts and tables from elsewhere."""
