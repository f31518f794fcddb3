import { StatusError } from '@binnacle/machinery';
import { agreeOnProtocol } from '@binnacle/streams';

/**
 * The first protocol of a client's header `Sec-WebSocket-Protocol` that is spoken here; empty where it names none. Throws
 * 403 where it names only others.
 */
export function webSocketProtocol(header: string, spoken: readonly string[]): string {
  const agreed = agreeOnProtocol(header, spoken);
  if ('name' in agreed) return agreed.name;
  const { refusal: message } = agreed;
  throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 403 });
}
