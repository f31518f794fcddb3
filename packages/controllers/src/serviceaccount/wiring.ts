import { SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { runPerNamespace } from '../per-namespace.ts';

/** Starts the controller that gives each namespace its `default` ServiceAccount. */
export function runServiceAccountController(kit: ControllerKit): Controller {
  return runPerNamespace(kit, {
    controller: 'service-account-controller',
    ref: SERVICE_ACCOUNTS,
    name: 'default',
    draft: () => ({ metadata: { name: 'default' } }),
    mend: (existing) => existing,
  });
}
