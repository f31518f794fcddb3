import type { CallContext } from '@binnacle/base';
import type { FieldError, KubeObject, UserInfo } from '@binnacle/machinery';
import type { ResourceRefLike } from './reader.ts';

/**
 * Read, change, compare-and-swap in the store, again on conflict. Neither authorisation nor admission; strategy,
 * validation and encoding as for any update. `change` writes into a draft of its own, may run more than once and
 * may throw StatusError to refuse. Throws `notFound`.
 */
export type GuaranteedUpdate = (
  target: { readonly resource: ResourceRefLike; readonly namespace: string; readonly name: string },
  change: (draft: KubeObject) => void,
  options?: {
    readonly dryRun?: boolean;
    readonly subresource?: string;
    readonly user?: UserInfo;
    readonly context?: CallContext;
    /**
     * The draft is the version that is there but for itself and its metadata: `change` replaces parts and writes into none.
     * For what is done to every pod, which need not be copied for that.
     */
    readonly shares?: true;
    /** What the change could have made wrong, where that can be said; absent: the object is validated as a new one. */
    readonly validate?: (object: KubeObject) => readonly FieldError[];
  },
) => Promise<KubeObject>;
