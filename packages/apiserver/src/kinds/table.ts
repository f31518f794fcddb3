import type { KindBehaviours } from './behaviour.ts';
import { CERTIFICATE_KINDS } from './certificates/table.ts';
import { CORE_KINDS } from './core/table.ts';
import { GROUP_KINDS } from './group-table.ts';

/** What built-in resources do by themselves: data and pure hooks. What needs a world to do is in own-kinds.ts and policy. */
export const KINDS: KindBehaviours = { ...CORE_KINDS, ...CERTIFICATE_KINDS, ...GROUP_KINDS };
