import type { KubeObject } from '@binnacle/machinery';
import type { ScopedResourceSelectorRequirement } from '../generated/core-v1.ts';
import type { QuotaAmounts } from './amounts.ts';

/** How objects of one kind count towards quotas. Pure. */
export interface QuotaEvaluator {
  /** Whether objects of the kind count towards an amount of that name. */
  counts(name: string): boolean;
  /** What the object uses at `nowMs`, in milliseconds since the epoch. */
  usage(object: KubeObject, nowMs: number): QuotaAmounts;
  /** Whether the object is in a scope of a quota. Absent: no scope has objects of this kind. */
  inScope?(object: KubeObject, selector: ScopedResourceSelectorRequirement): boolean;
  /** What the object has to say where a quota counts these names; undefined when it does. */
  unsaid?(object: KubeObject, names: ReadonlySet<string>): string | undefined;
}
