import { parseMediaType, status } from '@binnacle/machinery';
import type { MediaType } from '@binnacle/machinery';

/** The form in which a caller wants the answer. */
export interface Rendering {
  readonly format: 'json' | 'yaml' | 'protobuf';
  /** `object`: as it is. The others are the projections of meta.k8s.io/v1. */
  readonly as: 'object' | 'table' | 'partial';
  /** `v1` or `v1beta1` of meta.k8s.io, for projections. */
  readonly metaVersion: string;
  readonly pretty: boolean;
  /** Other parameters of the accepted media type, e.g. aggregated discovery's `as`. */
  readonly parameters: { readonly [name: string]: string };
}

export const PLAIN: Rendering = { format: 'json', as: 'object', metaVersion: 'v1', pretty: false, parameters: {} };

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const ACCEPTED = 'application/json, application/yaml';
const FORMATS: { readonly [type: string]: Rendering['format'] } = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/*': 'json',
  '*/*': 'json',
  [PROTOBUF]: 'protobuf',
};
const PROJECTIONS: { readonly [as: string]: 'table' | 'partial' } = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial',
};

/** The forms that what is asked for has beside the common ones. */
export interface Offer {
  /** It can be written as protobuf; not, unless said. */
  readonly messages?: boolean;
  /** It can be a Table; so unless denied: reviews have neither names nor columns. */
  readonly tables?: boolean;
}

/** Picks the first form of an Accept header that is served; 406 when none is. */
export function negotiate(accept: string, pretty: boolean, offer: Offer = {}): Rendering {
  if (accept === '' || accept === 'application/json' || accept === '*/*') {
    return pretty ? { ...PLAIN, pretty } : PLAIN;
  }
  for (const clause of byQuality(accept)) {
    const format = Object.hasOwn(FORMATS, clause.type) ? FORMATS[clause.type] : undefined;
    if (format === undefined) continue;
    if (format === 'protobuf') {
      const rendering = offer.messages === true ? binary(clause) : undefined;
      if (rendering !== undefined) return rendering;
      continue;
    }
    const { as, v } = clause.parameters;
    if (as === undefined) return { ...PLAIN, format, pretty, parameters: clause.parameters };
    const projection = PROJECTIONS[as];
    if (projection === 'table' && offer.tables === false) continue;
    if (projection !== undefined && clause.parameters.g === 'meta.k8s.io' && (v === 'v1' || v === 'v1beta1')) {
      return { format, as: projection, metaVersion: v, pretty, parameters: clause.parameters };
    }
    if (as === 'APIGroupDiscoveryList') return { ...PLAIN, format, pretty, parameters: clause.parameters };
  }
  const accepted = offer.messages === true ? `${ACCEPTED}, ${PROTOBUF}` : ACCEPTED;
  throw status.notAcceptable(`only the following media types are accepted: ${accepted}`);
}

/** Protobuf of objects and of metadata. A Table has no message, and v1beta1 of metadata one that nobody asks for. */
function binary({ parameters }: MediaType): Rendering | undefined {
  const { as, g, v } = parameters;
  const rendering = { ...PLAIN, format: 'protobuf', parameters } as const;
  if (as === undefined) return rendering;
  const isMetadata = PROJECTIONS[as] === 'partial' && g === 'meta.k8s.io' && v === 'v1';
  return isMetadata ? { ...rendering, as: 'partial' } : undefined;
}

function byQuality(accept: string): MediaType[] {
  return accept
    .split(',')
    .map(parseMediaType)
    .sort((a, b) => b.quality - a.quality);
}

/** Whether to indent: asked for, or the caller is somebody who reads it in a terminal or browser. */
export function wantsPretty(parameter: string, userAgent: string): boolean {
  if (parameter !== '') return parameter === 'true' || parameter === '1';
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0');
}
