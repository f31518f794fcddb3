import { status } from '@binnacle/machinery';
import { membersOf, textOf } from './json-body.ts';
import type { Members } from './json-body.ts';

/** Of a reported decision what readers go through, as explanations show it. Throws 400 where it has another shape. */
export function checkDecision(detail: Members): void {
  for (const one of listOf(detail, 'refused')) {
    const { plugin, reasons, nodes, names } = membersOf(one, 'refused');
    if (!isText(plugin) || !isTexts(reasons) || typeof nodes !== 'number' || !isTexts(names)) {
      throw status.badRequest('refused: expected plugin, reasons, nodes and names');
    }
  }
  for (const one of listOf(detail, 'scored')) {
    const { node, total, by } = membersOf(one, 'scored');
    const points = Object.values(membersOf(by, 'by'));
    if (!isText(node) || ![total, ...points].every((number) => typeof number === 'number')) {
      throw status.badRequest('scored: expected node, total and points by plugin');
    }
  }
  for (const name of ['node', 'message', 'nominatedNode']) textOf(detail, name);
  if (detail['preemption'] !== undefined) checkPreemption(membersOf(detail['preemption'], 'preemption'));
}

/** Who sees which names is decided by where they stand. */
function checkPreemption(told: Members): void {
  for (const name of ['obstacle', 'chosen']) textOf(told, name);
  for (const name of ['atMs', 'tried', 'untried', 'candidates', 'victimsLeft']) checkNumber(told, name);
  for (const one of wholeList(told, 'unsuitable')) {
    const { reason, nodes, names } = membersOf(one, 'unsuitable');
    if (!isText(reason) || typeof nodes !== 'number' || !isTexts(names)) {
      throw status.badRequest('unsuitable: expected reason, nodes and names');
    }
  }
  for (const one of wholeList(told, 'listed')) {
    const candidate = membersOf(one, 'listed');
    textOf(candidate, 'node');
    for (const name of ['victims', 'budgetViolations']) checkNumber(candidate, name);
    for (const victim of wholeList(candidate, 'named')) checkPodName(victim);
  }
  for (const one of wholeList(told, 'extenders')) textOf(membersOf(one, 'extenders'), 'name');
  for (const one of wholeList(told, 'choice')) textOf(membersOf(one, 'choice'), 'by');
  for (const one of wholeList(told, 'steps')) {
    const step = membersOf(one, 'steps');
    for (const name of ['what', 'node']) textOf(step, name);
    if (step['pod'] !== undefined) checkPodName(step['pod']);
  }
}

function checkPodName(value: unknown): void {
  const { namespace, name } = membersOf(value, 'pod');
  if (!isText(namespace) || !isText(name)) throw status.badRequest('pod: expected namespace and name');
}

function checkNumber(members: Members, name: string): void {
  if (typeof members[name] !== 'number') throw status.badRequest(`${name}: expected a number`);
}

function listOf(members: Members, name: string): readonly unknown[] {
  const value = members[name] ?? [];
  if (!Array.isArray(value) || members[name] === null) throw status.badRequest(`${name}: expected a list`);
  return value;
}

/** One that has to be there. */
function wholeList(members: Members, name: string): readonly unknown[] {
  if (members[name] === undefined) throw status.badRequest(`${name}: expected a list`);
  return listOf(members, name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
