import { SECRETS } from '@binnacle/api';
import type { Secret } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import type { ServerWorld } from '../ports/world.ts';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
/** Notes that are being written; beyond it a use is noted by the next one. */
const WRITING_MAX = 64;

/** Writes into secrets on which day their token was last used, one note at a time for each. */
export function createUseNotes({
  loopback,
  log,
}: Pick<ServerWorld, 'log'> & { readonly loopback: Pick<Wire, 'call'> }): (secret: Secret, day: string) => void {
  const writing = new Set<string>();
  return ({ metadata: { namespace = '', name = '', uid } }, day) => {
    const key = `${namespace}/${name}`;
    if (writing.has(key) || writing.size >= WRITING_MAX) return;
    writing.add(key);
    const body = { metadata: { ...(uid === undefined ? {} : { uid }), labels: { [LAST_USED]: day } } };
    loopback.call({ verb: 'patch', patch: 'merge', resource: SECRETS, namespace, name, body }).then(
      () => writing.delete(key),
      (error: unknown) => {
        writing.delete(key);
        log.info(0, 'the last use of a token could not be noted', { secret: key, reason: messageOf(error) });
      },
    );
  };
}
