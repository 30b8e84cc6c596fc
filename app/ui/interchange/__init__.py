"""Import and export of scripts for other programs: asks what columns and names mean, adds the lines, writes texts and tables."""
