import {
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  NumberInput,
  ScrollArea,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { discover } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { request } from '../api/request.ts';
import { valuesOf } from '../editor/schema.ts';
import { DRAFT } from '../editor/draft.ts';
import { useSchema } from '../editor/use-schemas.ts';
import type { KindSchema } from '../editor/use-schemas.ts';
import { YamlEditor } from '../editor/yaml-editor.tsx';
import { useKinds } from '../kinds/use-kinds.ts';
import type { ApiObject } from '../live/rows.ts';
import { readDocuments, readYaml, yamlOf } from '../object/yaml-text.ts';
import type { Route } from '../route/route.ts';
import { go } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { Answers } from './answers.tsx';
import type { Answer } from './answers.tsx';
import { createObjects } from './create-objects.ts';
import type { CreateWorld, Outcome } from './create-objects.ts';
import { formFields, schemaPath, withValue } from './form-fields.ts';
import type { FormField } from './form-fields.ts';
import { skeletonOf } from './skeleton.ts';

interface CreatePageProps {
  readonly kind: Resource;
  readonly route: Extract<Route, { readonly page: 'create' }>;
}

/** New objects: a form over the plain values of one, and the same as YAML; tried on the server before they are made. */
export function CreatePage({ kind, route }: CreatePageProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const schema = useSchema(kind);
  const [draft, setDraft] = useState('');
  const [isTouched, setTouched] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>({});
  useEffect(() => {
    if (!isTouched) setDraft(yamlOf(skeletonOf(kind, schema, route.namespace)));
  }, [kind, schema, route.namespace, isTouched]);
  const change = (value: string): void => {
    setDraft(value);
    setTouched(true);
    setAnswer({});
  };
  const send = async (isTrial: boolean): Promise<void> => {
    setAnswer({});
    setBusy(true);
    try {
      const written = readDocuments(draft);
      const wish = { isTrial, kinds, fallback: kind, namespace: route.namespace || DEFAULT_NAMESPACE };
      const tell = (outcomes: readonly Outcome[]): void => setAnswer({ outcomes, isTrial, count: written.length });
      const [first, ...more] = await createObjects(written, wish, { ...WORLD, tell });
      if (!isTrial && more.length === 0 && first?.made !== undefined) go(routeOf(first.made));
    } catch (reason) {
      setAnswer({ error: reason instanceof Error ? reason.message : String(reason) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="sm" h="100%" {...{ [DRAFT]: true }}>
      <Title order={1} size="h3">
        {text.create}: {kind.kind}
      </Title>
      <Group gap="sm">
        <Button size="xs" variant="default" onClick={() => void send(true)} disabled={isBusy}>
          {text.tryIt}
        </Button>
        <Button size="xs" onClick={() => void send(false)} disabled={isBusy}>
          {text.create}
        </Button>
        <Text size="sm" c="dimmed">
          {text.sameAs}: <Code>kubectl create -f -</Code>
        </Text>
      </Group>
      <Answers {...answer} />
      <SimpleGrid cols={{ base: 1, md: 2 }} mih={{ base: '60rem', md: 0 }} style={{ flex: 1 }}>
        <ScrollArea>
          <Form draft={draft} schema={schema} onChange={change} />
        </ScrollArea>
        <YamlEditor label={text.yaml} value={draft} schema={schema} onChange={change} />
      </SimpleGrid>
    </Stack>
  );
}

/** What kubectl takes where nobody says another one. */
const DEFAULT_NAMESPACE = 'default';

const WORLD: Omit<CreateWorld, 'tell'> = {
  send: (call) => request<ApiObject>(call),
  discover: () => discover(),
  wait: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};

function routeOf({ kind, object: { metadata } }: NonNullable<Outcome['made']>): Route {
  const { namespace = '', name } = metadata;
  return { page: 'object', gvr: kind, namespace, name, tab: 'summary' };
}

interface FormProps {
  readonly draft: string;
  readonly schema: KindSchema | undefined;
  readonly onChange: (draft: string) => void;
}

function Form({ draft, schema, onChange }: FormProps): ReactNode {
  const text = useText();
  const object = useMemo(() => parsed(draft), [draft]);
  if (object === undefined) return <Alert color="orange">{isSeveral(draft) ? text.formOfOne : text.noYaml}</Alert>;
  const change = ({ path }: FormField, value: unknown): void => onChange(yamlOf(withValue(object, path, value)));
  return (
    <Stack gap="xs" pr="md">
      {formFields(object).map((field) => (
        <Field key={field.label} field={field} schema={schema} onChange={(value) => change(field, value)} />
      ))}
    </Stack>
  );
}

function isSeveral(draft: string): boolean {
  try {
    return readDocuments(draft).length > 1;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Undefined: it is none, at least not yet. */
function parsed(draft: string): unknown {
  try {
    return readYaml(draft);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

interface FieldProps {
  readonly field: FormField;
  readonly schema: KindSchema | undefined;
  readonly onChange: (value: unknown) => void;
}

function Field({ field: { path, label, value }, schema, onChange }: FieldProps): ReactNode {
  const known = schema?.schemas.at(schema.root, schemaPath(path));
  const description = known?.description;
  const words = { label, size: 'xs', ...(description === undefined ? {} : { description }) };
  if (typeof value === 'boolean') {
    return <Checkbox {...words} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (typeof value === 'number') {
    return <NumberInput {...words} value={value} onChange={(next) => onChange(next === '' ? 0 : Number(next))} />;
  }
  const values = known === undefined ? [] : valuesOf(known);
  if (values.length > 0)
    return <Select {...words} data={[...values]} value={value} onChange={(next) => onChange(next ?? '')} />;
  return <TextInput {...words} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
}
