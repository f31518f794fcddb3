/** Writes docs/what-a-pod-can-ask-for.md anew: `node packages/kubelet/src/node/write-pod-fields.ts`. */
import { writeFileSync } from 'node:fs';
import { schemas } from '@binnacle/api';
import { podFieldPage } from '../pod/field-table.ts';

writeFileSync(new URL('../../../../docs/what-a-pod-can-ask-for.md', import.meta.url), podFieldPage(schemas.table));
