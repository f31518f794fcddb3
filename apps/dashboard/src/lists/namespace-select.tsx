import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTable } from '../live/use-table.ts';
import { useText } from '../texts/use-text.ts';

interface NamespaceSelectProps {
  /** Empty: all. */
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** Which namespace is looked at. */
export function NamespaceSelect({ value, onChange }: NamespaceSelectProps): ReactNode {
  const text = useText();
  const { rows } = useTable('/api/v1/namespaces');
  const names = rows.map((row) => row.object.metadata.name);
  // Who may not list namespaces still sees the one that he is in.
  const known = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <Select
      aria-label={text.namespace}
      searchable
      data={[{ value: '', label: text.allNamespaces }, ...known.map((name) => ({ value: name, label: name }))]}
      value={value}
      allowDeselect={false}
      onChange={(namespace) => onChange(namespace ?? '')}
    />
  );
}
