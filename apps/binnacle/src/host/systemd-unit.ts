import { resolve } from 'node:path';
import { fewHeapsOfUnit } from './few-heaps.ts';

/** The place that Kubernetes' own documents name. */
const MANIFESTS = '/etc/kubernetes/manifests';

/** systemd splits at spaces, and reads `%` and `$` as its own (systemd.service(5), "Command lines"). */
function quoted(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** A unit that runs the kubelet as it was called here, with static pods from the usual folder unless another is named. */
export function systemdUnit([, program = '', ...args]: readonly string[], node: string): string {
  const own = args.filter((argument) => argument !== '--systemd-unit');
  const named = own.some((argument) => /^--(?:pod-manifest-path|config)(?:=|$)/.test(argument));
  const command = [node, resolve(program), ...own, ...(named ? [] : [`--pod-manifest-path=${MANIFESTS}`])];
  return `[Unit]
Description=Binnacle kubelet
Documentation=https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/
Wants=network-online.target
After=network-online.target

[Service]
${fewHeapsOfUnit()}
ExecStart=${command.map(quoted).join(' ')}
Restart=always
RestartSec=10
# Containers outlive their kubelet.
KillMode=process
Delegate=yes

[Install]
WantedBy=multi-user.target
`;
}
