// There is no main.
#version 450
void other() {}
