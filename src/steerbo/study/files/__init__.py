"""Files of a study: the study file, tables of outcomes, exports."""
