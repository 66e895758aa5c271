#define ANSWER 10
