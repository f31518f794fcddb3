import { useEffect, useState } from 'react';
import type { Resource } from '../api/discovery.ts';
import { request } from '../api/request.ts';
import { Schemas } from './schema.ts';
import type { Schema, SchemaDocument } from './schema.ts';

/** What is known of a kind. */
export interface KindSchema {
  readonly schemas: Schemas;
  readonly root: Schema;
}

/** By group and version, of this tab. */
const asked = new Map<string, Promise<Schemas>>();

/** The schema of a kind, by the server's own OpenAPI; undefined: not read yet, or not served. */
export function useSchema({ group, version, kind }: Resource): KindSchema | undefined {
  const [found, setFound] = useState<KindSchema>();
  useEffect(() => {
    let isCurrent = true;
    schemasOf(group, version).then(
      (schemas) => {
        const root = schemas.rootOf({ group, version, kind });
        if (isCurrent && root !== undefined) setFound({ schemas, root });
      },
      // Where there is none, YAML is written without help.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [group, version, kind]);
  return found;
}

function schemasOf(group: string, version: string): Promise<Schemas> {
  const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  const known = asked.get(path);
  if (known !== undefined) return known;
  const reading = request<SchemaDocument>({ path }).then(({ value }) => new Schemas(value));
  asked.set(path, reading);
  reading.catch(() => asked.delete(path));
  return reading;
}
