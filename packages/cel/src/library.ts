/** The functions and macros that expressions of Kubernetes v1.36 have. */
import { ADDRESSES } from './functions/addresses.ts';
import { AUTHORIZATION } from './functions/authorization.ts';
import { CONVERSIONS } from './functions/conversions.ts';
import { FORMATS } from './functions/formats.ts';
import { LISTS } from './functions/lists.ts';
import { NUMBERS } from './functions/numbers.ts';
import { OPTIONALS } from './functions/optionals.ts';
import { libraryOf } from './functions/overload.ts';
import type { Library } from './functions/overload.ts';
import { QUANTITIES } from './functions/quantities.ts';
import { RELATIONS } from './functions/relations.ts';
import { PATCH_TEXTS, textFunctions } from './functions/texts.ts';
import { TIMES } from './functions/times.ts';
import { URLS } from './functions/urls.ts';
import { VERSIONS } from './functions/versions.ts';

/** Every function; owns the patterns that its expressions have read, so one is made for each owner of expressions. */
export function kubernetesLibrary(): Library {
  return libraryOf(
    NUMBERS,
    RELATIONS,
    CONVERSIONS,
    TIMES,
    textFunctions(),
    LISTS,
    OPTIONALS,
    QUANTITIES,
    ADDRESSES,
    URLS,
    VERSIONS,
    FORMATS,
    AUTHORIZATION,
  );
}

/** A library with what mutating policies have besides, and nobody else. */
export function withPatchFunctions(library: Library): Library {
  return new Map([...library, ...libraryOf(PATCH_TEXTS)]);
}
