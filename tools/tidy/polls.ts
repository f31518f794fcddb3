/**
 * Law 9, nothing polls: who sleeps in a loop says what he waits for, and why nobody could have told him. A loop that catches
 * tries again what failed.
 */
import { isProduct } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

const LOOP = /^(While|DoWhile|For|ForOf|ForIn)Statement$/;
const FUNCTION = /Function(Expression|Declaration)$/;

function isSleep(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const callee = node['callee'] as Node;
  const name = callee.type === 'MemberExpression' ? (callee['property'] as Node)['name'] : callee['name'];
  return /^(sleep|sleepUntil|pause)$/.test(String(name));
}

/** Whether a comment stands between the line above a place and its end. */
function isExplained(file: SourceFile, from: number, to: number): boolean {
  const [first, last] = [lineOf(file, from) - 1, lineOf(file, to)];
  return file.comments.some((comment) => {
    const line = lineOf(file, comment.end);
    return line >= first && line <= last;
  });
}

/** Sleeps of a loop itself, if it does not catch; those of functions and loops in it are theirs. */
function sleepsOf(loop: Node): Node[] {
  const found: Node[] = [];
  const inner: Node[] = [];
  let isRetry = false;
  walk(loop, (node) => {
    if (node.type === 'CatchClause') isRetry = true;
    if (node !== loop && (FUNCTION.test(node.type) || LOOP.test(node.type))) inner.push(node);
    if (isSleep(node) && !inner.some(({ start, end }) => start <= node.start && node.end <= end)) found.push(node);
  });
  return isRetry ? [] : found;
}

/** Refuses loops of the product that sleep and do not say why. */
export function checkPolls(house: House, report: Report): void {
  for (const file of house.files) {
    if (!isProduct(house, file)) continue;
    walk(file.program, (node) => {
      if (!LOOP.test(node.type)) return;
      for (const sleep of sleepsOf(node)) {
        if (isExplained(file, node.start, node.start) || isExplained(file, sleep.start, sleep.end)) continue;
        report(file.path, lineOf(file, sleep.start), 'a loop that sleeps: wait for an event, or say why none can tell');
      }
    });
  }
}
