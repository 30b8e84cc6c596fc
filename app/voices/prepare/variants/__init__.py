"""Other graphs that may stand for a prepared one: for the lab, which measures what each gains and costs."""
