// A semicolon is missing on line 4.
#version 450
void main() {
  uint x = 1
}
