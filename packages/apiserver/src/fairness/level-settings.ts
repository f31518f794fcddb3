import type { PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import { EXEMPT } from './default-objects.ts';
import type { QueueShape } from './queue-set.ts';

/** No request may take more of its level's seats than this part. */
const SEATS_MAX_PART = 0.15;

/** A priority level as an administrator described it. */
export interface LevelSettings {
  readonly name: string;
  readonly uid: string;
  readonly shape: QueueShape;
  readonly shares: number;
  readonly lendablePercent: number;
  /** Undefined: it may borrow whatever there is. */
  readonly borrowingPercent: number | undefined;
}

/** What that comes to, in seats. */
export interface LevelLimits {
  readonly nominal: number;
  /** What it keeps when it lends all that it may. */
  readonly lowest: number;
  /** What it has when it borrows all that it may. */
  readonly highest: number;
  /** What one request is taken to need at most; undefined: no bound by the level. */
  readonly seatsMax: number | undefined;
}

/** Undefined for objects that contradict themselves: it is as if they were not there. */
export function readLevel({ metadata, spec }: PriorityLevelConfiguration): LevelSettings | undefined {
  const { name = '', uid = '' } = metadata;
  const { type, limited, exempt } = spec;
  const isExempt = type === 'Exempt';
  if (isExempt !== (exempt !== undefined) || isExempt === (limited !== undefined)) return undefined;
  if (isExempt !== (name === EXEMPT)) return undefined;
  const shape = shapeOf(spec);
  if (shape === undefined) return undefined;
  const lendablePercent = (limited ?? exempt)?.lendablePercent ?? 0;
  const shares =
    limited === undefined ? (exempt?.nominalConcurrencyShares ?? 0) : (limited.nominalConcurrencyShares ?? 30);
  return { name, uid, shape, shares, lendablePercent, borrowingPercent: limited?.borrowingLimitPercent };
}

function shapeOf({ limited }: PriorityLevelConfiguration['spec']): QueueShape | undefined {
  if (limited === undefined) return { kind: 'exempt' };
  const { type, queuing } = limited.limitResponse ?? { type: 'Reject' };
  if ((type === 'Reject') !== (queuing === undefined)) return undefined;
  if (queuing === undefined) return { kind: 'reject' };
  const { queues, handSize, queueLengthLimit } = queuing;
  if (queues < 1 || handSize < 1 || handSize > queues) return undefined;
  return { kind: 'queue', queues, handSize, lengthLimit: queueLengthLimit };
}

/** Divides the server's seats by shares, rounded up. */
export function limitsOf(settings: LevelSettings, all: { seats: number; shares: number }): LevelLimits {
  const { shares, lendablePercent, borrowingPercent, shape } = settings;
  const nominal = all.shares === 0 ? 0 : Math.ceil((all.seats * shares) / all.shares);
  const lendable = Math.round((nominal * lendablePercent) / 100);
  const borrowing = borrowingPercent === undefined ? all.seats : Math.round((nominal * borrowingPercent) / 100);
  const seatsMax =
    shape.kind === 'queue'
      ? Math.max(1, Math.min(Math.ceil(nominal * SEATS_MAX_PART), Math.floor(nominal / shape.handSize)))
      : undefined;
  return { nominal, lowest: nominal - lendable, highest: nominal + borrowing, seatsMax };
}
