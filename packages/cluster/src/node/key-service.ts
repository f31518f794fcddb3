import type { KeyService, KeyServiceSettings, SealedKey } from '@binnacle/apiserver';
import type { KeyMeasures } from '@binnacle/apiserver/encryption';
import { describe, openChannel } from '@binnacle/grpc';
import type { Channel } from '@binnacle/grpc';

const SERVICE = 'v2.KeyManagementService';
const ANSWER_BYTES_MAX = 1 << 20;

/** A key service behind gRPC on a unix socket (KMS v2). */
export interface OpenKeyService extends KeyService {
  close(): void;
}

/** As protobufjs reads messages: bytes as such, maps as objects. */
interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly key_id: string;
  readonly annotations: { readonly [name: string]: Uint8Array };
}

/** Connects with the first call, and again after an outage. `measures` absent: nobody keeps score. */
export function openKeyService(
  { name, endpoint, timeoutMs }: KeyServiceSettings,
  measures?: KeyMeasures,
): OpenKeyService {
  let opening: Promise<Channel> | undefined;
  const call = async <T>(method: string, request: object): Promise<T> => {
    const since = measures?.now() ?? 0;
    const ended = (failure: object): void =>
      measures?.serviceCalled(name, method, { seconds: measures.now() - since, ...failure });
    try {
      const answer = await ask(method, request);
      ended({});
      return answer as T;
    } catch (error) {
      ended({ error });
      throw error;
    }
  };
  const ask = async (method: string, request: object): Promise<unknown> => {
    opening ??= openChannel(endpoint, async () => [await describe('keyService')], { answerBytesMax: ANSWER_BYTES_MAX });
    const channel = await opening;
    return channel.unary({ service: SERVICE, method }, request, timeoutMs);
  };
  return {
    async status() {
      const {
        version,
        healthz,
        key_id: keyId,
      } = await call<{ version: string; healthz: string; key_id: string }>('Status', {});
      return { version, healthz, keyId };
    },
    async encrypt(uid, plaintext): Promise<SealedKey> {
      const { ciphertext, key_id: keyId, annotations } = await call<Sealed>('Encrypt', { uid, plaintext });
      return { ciphertext: bytesOf(ciphertext), keyId, annotations: new Map(Object.entries(annotations)) };
    },
    async decrypt(uid, { ciphertext, keyId, annotations }) {
      const request = { uid, ciphertext, key_id: keyId, annotations: Object.fromEntries(annotations) };
      const { plaintext } = await call<{ plaintext: Uint8Array }>('Decrypt', request);
      return bytesOf(plaintext);
    },
    close() {
      opening?.then(
        (channel) => channel.close(),
        () => {
          // What could not be opened needs no closing; who called has heard of it.
        },
      );
    },
  };
}

/** A plain array: protobufjs makes Buffers, or empty arrays of nothing. */
function bytesOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
