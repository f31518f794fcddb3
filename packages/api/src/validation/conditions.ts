import type { Condition } from '@binnacle/machinery';
import { names } from '@binnacle/machinery';
import { validateLabelName } from './labels.ts';
import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_BYTES_MAX = 1024;
const MESSAGE_BYTES_MAX = 32 * 1024;
const BAD_REASON =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Conditions as most kinds have them: each type once, a status that is one, a reason in one word, and a time. */
export function validateConditions(
  conditions: readonly Condition[] | undefined,
  path: FieldPath,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [at, condition] of (conditions ?? []).entries()) {
    const here = path.index(at);
    if (seen.has(condition.type)) report.duplicate(here.child('type'), condition.type);
    seen.add(condition.type);
    validateCondition(condition, here, report);
  }
}

function validateCondition(condition: Condition, path: FieldPath, report: Report): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  validateLabelName(type, path.child('type'), report);
  if (!STATUSES.includes(status ?? '')) report.unsupported(path.child('status'), status ?? '', STATUSES);
  if (observedGeneration < 0) {
    report.invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero');
  }
  // A time that nobody gave is decoded as null.
  if (!lastTransitionTime) report.required(path.child('lastTransitionTime'));
  if (reason === '') report.required(path.child('reason'));
  else if (!REASON.test(reason)) report.invalid(path.child('reason'), reason, BAD_REASON);
  if (names.byteLength(reason) > REASON_BYTES_MAX) report.tooLong(path.child('reason'), REASON_BYTES_MAX);
  if (names.byteLength(message) > MESSAGE_BYTES_MAX) report.tooLong(path.child('message'), MESSAGE_BYTES_MAX);
}
