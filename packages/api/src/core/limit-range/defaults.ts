import { memberOf, putMember } from '@binnacle/machinery';
import type { Draft } from '../../draft.ts';
import type { LimitRange } from '../../generated/core-v1.ts';

/** Of containers' limits: default from max, defaultRequest from default, then from min. */
export function defaultLimitRange(range: Draft<LimitRange>): void {
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    item.default ??= {};
    item.defaultRequest ??= {};
    fillFrom(item.default, item.max);
    fillFrom(item.defaultRequest, item.default);
    fillFrom(item.defaultRequest, item.min);
  }
}

function fillFrom(target: { [name: string]: string }, source: { readonly [name: string]: string } | undefined): void {
  for (const name in source) {
    const value = memberOf(source, name);
    if (value !== undefined && !Object.hasOwn(target, name)) putMember(target, name, value);
  }
}
