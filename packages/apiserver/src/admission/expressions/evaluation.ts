/** The one door to everything that runs expressions: loaded as a whole, with the first expression that there is. */
export { Activation, Budget, BudgetError } from './activation.ts';
export { TimedCompiler } from './timed-compiler.ts';
export { compileConditions, matchConditions } from './match-conditions.ts';
export { changed } from './mutation.ts';
export { piecesOfMutatingPolicy, piecesOfValidatingPolicy } from './policy-expressions.ts';
