import type { ResourceInfo } from '@binnacle/api';
import type { CustomResourceConversion } from '@binnacle/api/apiextensions/v1';
import type { Random } from '@binnacle/base';
import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { askHook, HookCallError } from '../../outbound/ask-hook.ts';
import type { HookAddress, HookWorld } from '../../outbound/ask-hook.ts';
import type { Conversion } from '../../ports/conversion.ts';
import { ConversionAnswerError, makeReview, readReview, reviewVersion } from './conversion-review.ts';
import { acceptConverted } from './converted-object.ts';

export interface ConversionHookWorld extends HookWorld {
  readonly random: Random;
}

/** What a definition says of its webhook, and what is made of the answers. */
export interface ConversionHook {
  readonly webhook: NonNullable<CustomResourceConversion['webhook']>;
  /** By the schema of the version it is in: pruned, with defaults; built anew. */
  normalise(object: object, version: ResourceInfo): KubeObject;
}

/** Upstream's, and no definition's choice. */
const TIMEOUT_SECONDS = 30;
/** So many objects, or about so many bytes of them, in one question: the rest follows in the next. */
const BATCH = { objects: 500, bytes: 4 << 20 };
const ANSWER_BYTES_MAX = 32 << 20;

/** Between the stored version and a served one, by a webhook: only objects of another version than the wanted are sent. */
export function webhookConversion(
  world: ConversionHookWorld,
  hook: ConversionHook,
  { stored, served }: { readonly stored: ResourceInfo; readonly served: ResourceInfo },
): Conversion {
  return {
    toStored: (objects) => convert(world, hook, { objects, target: stored }),
    toServed: (objects) => convert(world, hook, { objects, target: served }),
  };
}

interface Wanted {
  readonly objects: readonly KubeObject[];
  readonly target: ResourceInfo;
}

function convert(
  world: ConversionHookWorld,
  hook: ConversionHook,
  { objects, target }: Wanted,
): readonly KubeObject[] | Promise<readonly KubeObject[]> {
  const apiVersion = groupVersion(target);
  const others = objects.filter((object) => object.apiVersion !== apiVersion);
  if (others.length === 0) return objects;
  return convertAll(world, hook, { objects: others, target }).then((converted) =>
    objects.map((object) => converted.get(object) ?? object),
  );
}

async function convertAll(
  world: ConversionHookWorld,
  hook: ConversionHook,
  { objects, target }: Wanted,
): Promise<ReadonlyMap<KubeObject, KubeObject>> {
  const converted = new Map<KubeObject, KubeObject>();
  for (const batch of batchesOf(objects)) {
    const answers = await ask(world, hook, { objects: batch, target });
    for (const [at, original] of batch.entries()) {
      converted.set(original, accept(hook, { original, converted: answers[at], at, target }));
    }
  }
  return converted;
}

function* batchesOf(objects: readonly KubeObject[]): Generator<readonly KubeObject[]> {
  let batch: KubeObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    if (batch.length === BATCH.objects || (batch.length > 0 && bytes + size > BATCH.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Throws 500 with what failed. */
async function ask(world: ConversionHookWorld, { webhook }: ConversionHook, { objects, target }: Wanted) {
  const version = reviewVersion(webhook.conversionReviewVersions ?? []);
  if (version === undefined) throw status.internalError('no supported conversion review versions');
  const uid = world.random.uuid();
  const desiredAPIVersion = groupVersion(target);
  const address = addressOf(webhook.clientConfig ?? {});
  try {
    const review = makeReview(version, { uid, desiredAPIVersion, objects });
    const question = { review, seconds: TIMEOUT_SECONDS, answerBytesMax: ANSWER_BYTES_MAX, signal: undefined };
    const converted = readReview(await askHook(world, address, question), { version, uid, count: objects.length });
    if (converted.length === objects.length) return converted;
    const counts = `${converted.length} objects, expected ${objects.length}`;
    throw status.internalError(`conversion webhook for ${kindOf(objects)} returned ${counts}`);
  } catch (error) {
    if (!(error instanceof HookCallError || error instanceof ConversionAnswerError)) throw error;
    throw status.internalError(`conversion webhook for ${kindOf(objects)} failed: ${error.message}`);
  }
}

/** Throws 500 that names the object. */
function accept(
  hook: ConversionHook,
  of: {
    readonly original: KubeObject;
    readonly converted: unknown;
    readonly at: number;
    readonly target: ResourceInfo;
  },
): KubeObject {
  const { original, converted, at, target } = of;
  try {
    return hook.normalise(acceptConverted(original, converted, groupVersion(target)), target);
  } catch (error) {
    if (!(error instanceof ConversionAnswerError)) throw error;
    const { namespace = '', name = '' } = original.metadata;
    const which = namespace === '' ? name : `${namespace}/${name}`;
    throw status.internalError(
      `conversion webhook for ${kindOf([original])} returned invalid converted object at index ${at} (${which}): ${error.message}`,
    );
  }
}

/** As Go prints a group, version and kind. */
function kindOf([first]: readonly KubeObject[]): string {
  return `${first?.apiVersion ?? ''}, Kind=${first?.kind ?? ''}`;
}

/** A bundle of nothing but white space is none, as upstream has it. */
function addressOf({ caBundle, ...place }: HookAddress): HookAddress {
  const isBlank = caBundle === undefined || atob(caBundle).trim() === '';
  return isBlank ? place : { ...place, caBundle };
}
