import '../generate/main.ts';
