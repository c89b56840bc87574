// Another stage.
#version 450
void main() {}
