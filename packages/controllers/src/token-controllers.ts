import { runBootstrapSigner } from './bootstrap-signer/wiring.ts';
import type { ControllerTable } from './controller-kit.ts';
import { runLegacyTokenCleaner } from './legacy-token-cleaner/wiring.ts';
import { runTokenController } from './serviceaccount-token/wiring.ts';
import { runTokenCleaner } from './token-cleaner/wiring.ts';

/** The controllers of tokens. Those of accounts are filled by the manager itself: no account may sign for others. */
export const TOKEN_CONTROLLERS: ControllerTable = {
  'serviceaccount-token-controller': { account: '', start: runTokenController },
  'legacy-serviceaccount-token-cleaner-controller': {
    account: 'legacy-service-account-token-cleaner',
    start: runLegacyTokenCleaner,
  },
  'bootstrap-signer-controller': { account: 'bootstrap-signer', start: runBootstrapSigner },
  'token-cleaner-controller': { account: 'token-cleaner', start: runTokenCleaner },
};
