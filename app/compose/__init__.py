"""The only package that names concrete adapters: puts a voice, its BERT and the text front end together."""
