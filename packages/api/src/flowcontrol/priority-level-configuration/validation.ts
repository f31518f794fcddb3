import type { FieldError } from '@binnacle/machinery';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../generated/flowcontrol-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateConditionTypes } from '../condition-types.ts';

const SPEC = fieldPath('spec');
const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];
const QUEUES_MAX = 10_000_000;
/** Bits of a request's hash from which its hand of queues is dealt. */
const HASH_BITS = 60;

export function validatePriorityLevel(level: PriorityLevelConfiguration): FieldError[] {
  const report = new Report();
  const { type, limited, exempt } = level.spec;
  if ((level.metadata.name === 'exempt') !== (type === 'Exempt')) {
    report.invalid(SPEC.child('type'), type, "type must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (!TYPES.includes(type)) report.unsupported(SPEC.child('type'), type, TYPES);
  if (type === 'Exempt') {
    if (limited) report.forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited');
    if (exempt) validateShares(exempt, SPEC.child('exempt'), report);
  }
  if (type === 'Limited') {
    if (exempt) report.forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited');
    if (limited) validateLimited(limited, SPEC.child('limited'), report);
    else report.required(SPEC.child('limited'), 'must not be empty when type is Limited');
  }
  validateConditionTypes(level.status?.conditions, report);
  return report.errors;
}

export function validatePriorityLevelStatusUpdate({ status }: PriorityLevelConfiguration): FieldError[] {
  const report = new Report();
  validateConditionTypes(status?.conditions, report);
  return report.errors;
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function validateShares(
  { nominalConcurrencyShares: shares, lendablePercent: percent }: Shares,
  path: FieldPath,
  report: Report,
): void {
  if (typeof shares === 'number' && shares < 0) {
    report.invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer');
  }
  if (percent !== undefined && (percent < 0 || percent > 100)) {
    report.invalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive');
  }
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, path: FieldPath, report: Report): void {
  validateShares(limited, path, report);
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing !== undefined && borrowing < 0) {
    report.invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer');
  }
  validateResponse(limited.limitResponse, path.child('limitResponse'), report);
}

function validateResponse(response: LimitResponse | undefined, path: FieldPath, report: Report): void {
  const type = response?.type ?? '';
  const queuing = response?.queuing;
  if (type === 'Reject') {
    if (!queuing) return;
    report.forbidden(path.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited');
  } else if (type === 'Queue') {
    if (queuing) validateQueuing(queuing, path.child('queuing'), report);
    else report.required(path.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited');
  } else report.unsupported(path.child('type'), type, RESPONSES);
}

function validateQueuing(queuing: QueuingConfiguration, path: FieldPath, report: Report): void {
  const [length, queues, handSize] = [queuing.queueLengthLimit ?? 0, queuing.queues ?? 0, queuing.handSize ?? 0];
  if (length <= 0) report.invalid(path.child('queueLengthLimit'), length, 'must be positive');
  if (queues <= 0) report.invalid(path.child('queues'), queues, 'must be positive');
  else if (queues > QUEUES_MAX) report.invalid(path.child('queues'), queues, `must not be greater than ${QUEUES_MAX}`);
  const handPath = path.child('handSize');
  if (handSize <= 0) return report.invalid(handPath, handSize, 'must be positive');
  if (handSize > queues) return report.invalid(handPath, handSize, `should not be greater than queues (${queues})`);
  const bits = entropyBits(queues, handSize);
  if (bits > HASH_BITS) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS}`;
    report.invalid(handPath, handSize, detail);
  }
  return undefined;
}

/** Bits that tell all hands of a deck apart, dealt without putting back. Stops once there are too many. */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let dealt = 0; dealt < hand && bits <= HASH_BITS; dealt++) bits += Math.log2(deck - dealt);
  return Math.ceil(bits);
}
