import { UsageError } from '../errors.ts';
import { milliseconds, table, text, texts } from './config-values.ts';

/** A server of static pods. */
export interface ManifestAddress {
  readonly url: string;
  readonly headers: { readonly [name: string]: readonly string[] };
  readonly periodMs: number;
}

const PERIOD_MS = 20_000;

/** What the fields of a KubeletConfiguration say of a server of static pods. Each throws UsageError without its name. */
export const MANIFEST_ADDRESS_FIELDS: {
  readonly [field in 'staticPodURL' | 'staticPodURLHeader' | 'httpCheckFrequency']: (
    value: unknown,
  ) => Partial<ManifestAddress>;
} = {
  staticPodURL: (value) => {
    const url = text(value);
    if (url !== '' && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
      throw new UsageError('it is no address that begins with http:// or https://');
    return { url };
  },
  staticPodURLHeader: (value) => {
    const headers = Object.entries(table(value)).map(([name, values]) => [name, texts(values)] as const);
    for (const [name, values] of headers) {
      if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name))
        throw new UsageError(`${JSON.stringify(name)} is no name of a header`);
      // What it is, is nobody's business: it may be a key.
      if (values.some((one) => /[^\t\x20-\x7e\x80-\xff]/.test(one)))
        throw new UsageError(`the value of ${name} is not what a header can say`);
    }
    return { headers: Object.fromEntries(headers) };
  },
  httpCheckFrequency: (value) => {
    const ms = milliseconds(value);
    return ms === 0 ? {} : { periodMs: Math.max(1_000, ms) };
  },
};

/** The server as a whole; undefined: none is named. */
export function manifestAddress(said: Partial<ManifestAddress>): ManifestAddress | undefined {
  const { url = '', headers = {}, periodMs = PERIOD_MS } = said;
  return url === '' ? undefined : { url, headers, periodMs };
}
