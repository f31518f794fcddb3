import { acceptedValues } from './kubelet-config-as-it-is.ts';
import { KUBELET_CONFIG_FIELDS } from './kubelet-config-fields.ts';
import { isHonoured } from './kubelet-config.ts';

const HEAD = `# The kubelet's configuration

Every field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1, v1.36), and what becomes of it. A field that is refused ends
the start with its name; none is passed over in silence. Written by \`node apps/binnacle/src/host/write-kubelet-config-page.ts\`;
a test holds this page to the code, and a file as kubeadm writes it is taken.
`;

/** The page of docs about KubeletConfiguration, as the code has it. */
export function kubeletConfigPage(): string {
  const named = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ');
  const others = KUBELET_CONFIG_FIELDS.filter((field) => !isHonoured(field));
  const fixed = others.filter((field) => acceptedValues(field).length > 0);
  const rows = fixed.map((field) => {
    const values = acceptedValues(field).map((value) => `\`${JSON.stringify(value)}\``);
    return `- \`${field}\`: ${values.join(', ')}`;
  });
  return [
    HEAD,
    `## Acted on\n\n${named(KUBELET_CONFIG_FIELDS.filter(isHonoured))}\n`,
    `## Done anyway: taken with these values, refused with others\n\n${rows.join('\n')}\n`,
    `## Refused\n\n${named(others.filter((field) => !fixed.includes(field)))}\n`,
  ].join('\n');
}
