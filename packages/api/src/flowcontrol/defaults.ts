import type { Draft } from '../draft.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../generated/flowcontrol-v1.ts';

export function defaultFlowSchema(schema: Draft<FlowSchema>): void {
  if (schema.spec && !schema.spec.matchingPrecedence) schema.spec.matchingPrecedence = 1000;
}

export function defaultPriorityLevel(level: Draft<PriorityLevelConfiguration>): void {
  const { exempt, limited } = level.spec ?? {};
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (!limited) return;
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
  const queuing = limited.limitResponse?.queuing;
  if (!queuing) return;
  if (!queuing.handSize) queuing.handSize = 8;
  if (!queuing.queues) queuing.queues = 64;
  if (!queuing.queueLengthLimit) queuing.queueLengthLimit = 50;
}
