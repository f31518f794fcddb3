import type { KubeObject } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';

/** Tells the caller what is to be known of an object that is taken as it is: of a new one, a change, or a new status; given as it was validated. */
export function warnOf(call: Call, object: KubeObject, before?: KubeObject): void {
  if (call.request.isDeafToWarnings === true) return;
  const { strategy } = call.served.stored;
  const rules = call.served.ownRules ?? call.served.stored.rules;
  const { subresource } = call.info;
  if (subresource === 'status') {
    for (const warning of rules.statusWarnings?.(object) ?? []) call.warn(warning);
  }
  if (subresource !== '') return;
  for (const warning of rules.warnings?.(object, before) ?? []) call.warn(warning);
  for (const warning of strategy.warnings?.(object) ?? []) call.warn(warning);
}
