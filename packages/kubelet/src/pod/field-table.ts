import { type SchemaTable } from '@binnacle/machinery';
import { podFieldRules } from './unsupported.ts';

const HEAD = `# What a pod can ask for

Every field of a pod's definition, and what the kubelet of a real node does about it. A field that is refused holds the pod back
with a visible reason (\`Unsupported\`); none is passed over in silence. Written from
\`packages/kubelet/src/pod/unsupported.ts\` by \`node packages/kubelet/src/node/write-pod-fields.ts\`;
each field is shown with real containers by \`conformance/src/pod-fields.test.ts\`.

- **acted on**: seen in the container, its limits, its life or its status
- **not the kubelet's**: scheduling, admission, another operating system
- **acted on with its feature gate**: refused where that is off, as it is by default
- **by its value**: some values are acted on, others are refused
- **refused**: by its mere presence
`;

/** The page of docs that tells of each field of each type of a pod. Pure. */
export function podFieldPage(table: SchemaTable): string {
  const parts = Object.entries(podFieldRules).map(([type, rules]) => {
    const fields = Object.keys(table[`core.v1.${type}`]?.fields ?? {}).toSorted();
    const groups = Map.groupBy(fields, (field) => wordOf(Object.hasOwn(rules, field) ? rules[field] : undefined));
    const lines = [
      'acted on',
      'acted on with its feature gate',
      "not the kubelet's",
      'by its value',
      'refused',
    ].flatMap((word) => {
      const list = groups.get(word) ?? [];
      return list.length === 0 ? [] : [`- ${word}: ${list.map((field) => `\`${field}\``).join(', ')}`];
    });
    return `\n## ${type}\n\n${lines.join('\n')}\n`;
  });
  return HEAD + parts.join('');
}

function wordOf(rule: (typeof podFieldRules)[string][string] | undefined): string {
  if (rule === undefined) return 'refused';
  if (rule === 'elsewhere') return "not the kubelet's";
  if (typeof rule === 'object' && 'gate' in rule) return 'acted on with its feature gate';
  return typeof rule === 'function' ? 'by its value' : 'acted on';
}
