#!/usr/bin/env node
// On the PATH as kubectl-binnacle-trace this is `kubectl binnacle trace`, as kubectl-binnacle_trace `kubectl binnacle-trace`.
process.argv.splice(2, 0, 'trace');
await import('./launch.mjs');
