import type { MutatingWebhook, ValidatingWebhook } from '@binnacle/api/admissionregistration/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { CacheReader } from '../../ports/reader.ts';
import { compileWebhook } from './webhook-match.ts';
import type { AnyWebhook, CompiledWebhook } from './webhook-match.ts';

const GROUP = 'admissionregistration.k8s.io';

interface Configuration<W extends AnyWebhook> extends KubeObject {
  readonly webhooks?: readonly W[];
}

/** The webhooks of one sort as they are configured now, by the names of their configurations; compiled once. */
export class WebhookConfigurations<W extends AnyWebhook> {
  readonly #byName = new Map<string, readonly CompiledWebhook<W>[]>();
  #ordered: readonly CompiledWebhook<W>[] | undefined = [];

  constructor(cache: CacheReader, resource: string) {
    cache.follow({ group: GROUP, resource }, (before, after) => {
      const name = (after ?? before)?.metadata.name ?? '';
      const { webhooks = [] } = (after ?? {}) as Configuration<W>;
      if (after === undefined) this.#byName.delete(name);
      else
        this.#byName.set(
          name,
          webhooks.map((hook, at) => compileWebhook(name, hook, at)),
        );
      this.#ordered = undefined;
    });
  }

  get all(): readonly CompiledWebhook<W>[] {
    this.#ordered ??= [...this.#byName.keys()].sort().flatMap((name) => this.#byName.get(name) ?? []);
    return this.#ordered;
  }
}

export function mutatingWebhooks(cache: CacheReader): WebhookConfigurations<MutatingWebhook> {
  return new WebhookConfigurations(cache, 'mutatingwebhookconfigurations');
}

export function validatingWebhooks(cache: CacheReader): WebhookConfigurations<ValidatingWebhook> {
  return new WebhookConfigurations(cache, 'validatingwebhookconfigurations');
}

/** What says who is asked is asked of nobody: a bad configuration can always be taken away. */
export function isAdmissionConfiguration({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): boolean {
  return group === GROUP && resource !== '';
}
