import type { Secret } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultSecret } from './defaults.ts';
import { validateSecret, validateSecretUpdate } from './validation.ts';

export const SECRET_RULES: KindRules<Secret> = {
  defaults: defaultSecret,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  fields: { type: (secret) => secret.type ?? '' },
};
