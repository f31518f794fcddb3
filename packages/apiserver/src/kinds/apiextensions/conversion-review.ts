/** What a conversion webhook is asked and answers: `ConversionReview` of apiextensions.k8s.io, v1 and v1beta1. */
import { CatalogueError } from '@binnacle/base';
import { membersOf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

/** The answer is none, or says no; its words are upstream's. */
export class ConversionAnswerError extends CatalogueError {
  constructor(why: string) {
    super('conversion-answer', why);
  }
}

const GROUP = 'apiextensions.k8s.io';
const SPOKEN: readonly string[] = ['v1', 'v1beta1'];

/** The first version of the definition's that is spoken here; undefined when none is. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => SPOKEN.includes(version));
}

/** What is asked: these objects in that version, in their order. */
export function makeReview(
  version: string,
  asked: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] },
): object {
  return { kind: 'ConversionReview', apiVersion: `${GROUP}/${version}`, request: asked };
}

/** The converted objects, as many as were asked for. Throws ConversionAnswerError. */
export function readReview(
  answer: unknown,
  asked: { readonly version: string; readonly uid: string; readonly count: number },
): readonly unknown[] {
  const review = membersOf(answer);
  const { response } = review;
  if (asked.version === 'v1') checkKind(review);
  if (response === undefined || response === null) throw new ConversionAnswerError('no response provided');
  const { uid = '', result, convertedObjects } = membersOf(response);
  // v1beta1 never looked at it, and there are webhooks that do not say it.
  if (asked.version === 'v1' && uid !== asked.uid) {
    throw new ConversionAnswerError(`expected response.uid="${asked.uid}", got ${JSON.stringify(uid)}`);
  }
  const { status = '', message = '' } = membersOf(result);
  if (status !== 'Success') {
    const said = typeof message === 'string' && message !== '' ? message : undefined;
    throw new ConversionAnswerError(said ?? `response.result.status was '${textOf(status)}', not 'Success'`);
  }
  return Array.isArray(convertedObjects) ? (convertedObjects as readonly unknown[]) : [];
}

function checkKind({ apiVersion, kind }: { readonly [field: string]: unknown }): void {
  if (apiVersion === `${GROUP}/v1` && kind === 'ConversionReview') return;
  const [group, version] = textOf(apiVersion).split('/');
  const got = version === undefined ? `/${group}` : `${group}/${version}`;
  throw new ConversionAnswerError(
    `expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${got}, Kind=${textOf(kind)}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
