import { CatalogueError } from '@binnacle/base';

/** One mistake in an expression: where it is, in UTF-16 units from the start, and what is wrong in cel-go's words. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** An expression that cannot be compiled. The message shows each mistake with its line and a mark under the place. */
export class CompileError extends CatalogueError {
  readonly issues: readonly Issue[];

  constructor(source: string, issues: readonly Issue[]) {
    super('compile', issues.map((issue) => showIssue(source, issue)).join('\n'));
    this.issues = issues;
  }
}

/** A text that cannot be read as a value of a type, in cel-go's words. */
export function unreadableText(type: string): EvaluationError {
  return new EvaluationError(`type conversion error from 'string' to '${type}'`);
}

/** An expression that failed while it ran: `no such key: x`, `division by zero`. */
export class EvaluationError extends CatalogueError {
  constructor(message: string) {
    super('evaluate', message);
  }
}

/** An expression that cost more than it may. */
export class CostError extends CatalogueError {
  constructor() {
    super('cost', 'operation cancelled: actual cost limit exceeded');
  }
}

/** `ERROR: <input>:1:5: why`, the line, and a mark. Columns count code points, as cel-go's do. */
function showIssue(source: string, { at, message }: Issue): string {
  const start = source.lastIndexOf('\n', at - 1) + 1;
  const end = source.indexOf('\n', at);
  const line = source.slice(start, end === -1 ? undefined : end);
  const row = source.slice(0, start).split('\n').length;
  const column = Array.from(source.slice(start, at)).length;
  return `ERROR: <input>:${row}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** What no rule of the grammar begins with, in the parser's words. */
export function unrecognised(source: string, at: number, text: string): CompileError {
  const message = `Syntax error: token recognition error at: '${text.replaceAll('\n', '\\n')}'`;
  return new CompileError(source, [{ at, message }]);
}
