/** Upstream's own kind keeps what all versions have in common once, at the top of `spec`, and shows mistakes there. */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';

const SPEC = fieldPath('spec');
const SCHEMA = 'apiextensions.v1.CustomResourceValidation.openAPIV3Schema';

type Versions = CustomResourceDefinition['spec']['versions'];
type Part = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';

/** What the top calls a part; the other parts keep their names. */
const NAMES_AT_TOP: { readonly [part: string]: string } = { schema: 'validation' };

/** A part of the version at this place, or of all versions. */
export interface PartPlace {
  readonly version: Versions[number];
  /** `spec.versions[1].schema`, or `spec.validation`. */
  readonly path: FieldPath;
  /** It stands for all versions. */
  readonly isShared: boolean;
}

/** Where a part of the versions is shown: once where all have the same. */
export function partPlaces(versions: Versions, part: Part): readonly PartPlace[] {
  const [first] = versions;
  if (first === undefined) return [];
  const place = `apiextensions.v1.CustomResourceDefinitionVersion.${part}`;
  if (versions.every((version) => isSemanticallyEqual(place, version[part], first[part]))) {
    return [{ version: first, path: SPEC.child(NAMES_AT_TOP[part] ?? part), isShared: true }];
  }
  return versions.map((version, at) => ({
    version,
    path: SPEC.child('versions').index(at).child(part),
    isShared: false,
  }));
}

/** A schema to judge, and where mistakes in it are shown. */
export interface SchemaPlace {
  readonly schema: JSONSchemaProps;
  readonly path: string;
}

/** The schemas of a definition that are new or changed: one that was taken before is taken as it is. */
export function schemasToJudge(
  { spec }: CustomResourceDefinition,
  before?: CustomResourceDefinition,
): readonly SchemaPlace[] {
  const versions = spec.versions ?? [];
  return partPlaces(versions, 'schema').flatMap(({ version, path, isShared }) => {
    const schema = version.schema?.openAPIV3Schema;
    const names = isShared ? versions.map(({ name }) => name) : [version.name];
    const isNew = names.some((name) => !isSemanticallyEqual(SCHEMA, schema, schemaOf(before, name)));
    return schema && isNew ? [{ schema, path: path.child('openAPIV3Schema').toString() }] : [];
  });
}

function schemaOf(definition: CustomResourceDefinition | undefined, version: string): unknown {
  return definition?.spec.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}
