import { CLUSTER_TRUST_BUNDLES } from '@binnacle/api';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import type { Scope } from '@binnacle/base';
import { createInformer, isServed, timedCause } from '@binnacle/client';
import type { Client, ClientWorld, Informer } from '@binnacle/client';
import { formatSelector, matchesLabels, selectorFromObject } from '@binnacle/machinery';
import { VolumeError } from '../errors.ts';
import type { ReferenceHolder, TrustBundleWish } from '../ports.ts';

/** Upstream's bound of a selector's text. */
const SELECTOR_LETTERS_MAX = 100 * 1024;

/** What bundles are read with. */
export interface TrustBundleWorld {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
}

/**
 * Bundles of certificates, all of them followed from the first question on: there are few, and no node may be kept from any.
 * Whoever asked is told of changes of those asked for, until it is released. Many API servers do not serve the kind: they are
 * asked first, and again with each question until one does.
 */
export class TrustBundles {
  readonly #of: TrustBundleWorld;
  #informer: Promise<Informer<ClusterTrustBundle>> | undefined;
  /** Whom a name or a signer matters to. */
  readonly #holders = new Map<string, Set<ReferenceHolder>>();
  readonly #byHolder = new Map<ReferenceHolder, Set<string>>();

  constructor(of: TrustBundleWorld) {
    this.#of = of;
  }

  /** Those there are now. Throws VolumeError where the kind is not served, or a selector is too long. */
  async read(wish: TrustBundleWish, holder: ReferenceHolder): Promise<readonly ClusterTrustBundle[]> {
    this.#hold('name' in wish ? ofName(wish.name) : ofSigner(wish.signerName), holder);
    const { signal } = this.#of.scope;
    const informer = await this.#follow();
    await informer.whenSynced(signal);
    if ('name' in wish) {
      const found = informer.get(wish.name);
      return found === undefined ? [] : [found];
    }
    // None at all where nothing is said, every one where an empty selector is given.
    const selector = selectorFromObject(wish.labelSelector);
    const { length } = formatSelector(selector);
    if (length > SELECTOR_LETTERS_MAX) {
      const why = `label selector length (${length}) is larger than ${SELECTOR_LETTERS_MAX}`;
      throw new VolumeError(wish.signerName, why);
    }
    const isOf = ({ spec }: ClusterTrustBundle): boolean => spec.signerName === wish.signerName;
    return informer.list().filter((bundle) => isOf(bundle) && matchesLabels(selector, bundle.metadata.labels));
  }

  release(holder: ReferenceHolder): void {
    for (const key of this.#byHolder.get(holder) ?? []) {
      const holders = this.#holders.get(key);
      holders?.delete(holder);
      if (holders?.size === 0) this.#holders.delete(key);
    }
    this.#byHolder.delete(holder);
  }

  #hold(key: string, holder: ReferenceHolder): void {
    this.#holders.set(key, (this.#holders.get(key) ?? new Set()).add(holder));
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? new Set()).add(key));
  }

  /** One informer, once the kind is served; whoever asks meanwhile waits for the same answer. */
  #follow(): Promise<Informer<ClusterTrustBundle>> {
    this.#informer ??= this.#start().catch((error: unknown) => {
      this.#informer = undefined;
      throw error;
    });
    return this.#informer;
  }

  async #start(): Promise<Informer<ClusterTrustBundle>> {
    const { client, world, scope } = this.#of;
    const context = { signal: scope.signal, cause: timedCause('kubelet', 'whether trust bundles are served') };
    if (!(await isServed(client.wire, CLUSTER_TRUST_BUNDLES, context))) {
      throw new VolumeError('trust bundles', 'the API server serves no ClusterTrustBundles');
    }
    const informer = createInformer(client, CLUSTER_TRUST_BUNDLES, world, {});
    const tell = (bundle: ClusterTrustBundle): void => {
      // The first list is what readers wait for; only later changes are news.
      if (!informer.synced) return;
      const keys = [ofName(bundle.metadata.name ?? ''), ofSigner(bundle.spec.signerName ?? '')];
      const holders = new Set(keys.flatMap((key) => [...(this.#holders.get(key) ?? [])]));
      for (const holder of holders) holder.changed();
    };
    informer.subscribe({ add: tell, update: (_before, after) => tell(after), remove: tell });
    informer.start(scope);
    return informer;
  }
}

const ofName = (name: string): string => `name ${name}`;
const ofSigner = (signer: string): string => `signer ${signer}`;
