import { limitValues, parseDocument } from '@binnacle/machinery';
import type { YamlDocument } from '@binnacle/machinery/yaml';
import type { ApiRequest } from '../request/api-request.ts';

/** So much YAML is read at once: some ten milliseconds. */
const SMALL_BYTES = 32 * 1024;
const utf8 = new TextDecoder();

/**
 * What the YAML of a body says; a large one is read elsewhere, if there is such a place. Throws DecodeError for what is
 * no YAML, 413 for one that is too much.
 */
export async function readYamlBody({ yaml }: Pick<ApiRequest, 'yaml'>, bytes: Uint8Array): Promise<YamlDocument> {
  if (yaml === undefined || bytes.length <= SMALL_BYTES) {
    const { readYaml } = await import('@binnacle/machinery/yaml');
    return readYaml(utf8.decode(bytes));
  }
  const { json, problems } = await yaml.toJson(bytes);
  limitValues(json);
  return { value: parseDocument(utf8.decode(json)), problems };
}
