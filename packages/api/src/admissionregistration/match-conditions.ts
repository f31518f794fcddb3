import { names } from '@binnacle/machinery';
import type { MatchCondition } from '../generated/admissionregistration-v1.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const COUNT_MAX = 64;

/** Names and presence of conditions; whether their expressions compile is asked where CEL is. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: FieldPath,
  report: Report,
): void {
  const list = conditions ?? [];
  if (list.length > COUNT_MAX) report.tooMany(path, list.length, COUNT_MAX);
  const seen = new Set<string>();
  for (const [at, { name, expression }] of list.entries()) {
    const here = path.index(at);
    if (!expression?.trim()) report.required(here.child('expression'));
    if (!name) {
      report.required(here.child('name'));
      continue;
    }
    report.invalidEach(here.child('name'), name, names.qualifiedNameErrors(name));
    if (seen.has(name)) report.duplicate(here.child('name'), name);
    seen.add(name);
  }
}
