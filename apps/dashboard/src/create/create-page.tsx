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
import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { request } from '../api/request.ts';
import { valuesOf } from '../editor/schema.ts';
import { useSchema } from '../editor/use-schemas.ts';
import type { KindSchema } from '../editor/use-schemas.ts';
import { YamlEditor } from '../editor/yaml-editor.tsx';
import { useKinds } from '../kinds/use-kinds.ts';
import type { ApiObject } from '../live/rows.ts';
import { readYaml, yamlOf } from '../object/yaml-text.ts';
import type { Route } from '../route/route.ts';
import { go } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { formFields, schemaPath, withValue } from './form-fields.ts';
import type { FormField } from './form-fields.ts';
import { skeletonOf } from './skeleton.ts';

interface CreatePageProps {
  readonly kind: Resource;
  readonly route: Extract<Route, { readonly page: 'create' }>;
}

/** A new object: a form over its plain values, and the same as YAML; tried on the server before it is made. */
export function CreatePage({ kind, route }: CreatePageProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const schema = useSchema(kind);
  const [draft, setDraft] = useState('');
  const [isTouched, setTouched] = useState(false);
  const [error, setError] = useState<string>();
  const [told, setTold] = useState<readonly string[]>();
  useEffect(() => {
    if (!isTouched) setDraft(yamlOf(skeletonOf(kind, schema, route.namespace)));
  }, [kind, schema, route.namespace, isTouched]);
  const change = (value: string): void => {
    setDraft(value);
    setTouched(true);
    setTold(undefined);
  };
  const send = async (isTrial: boolean): Promise<void> => {
    setError(undefined);
    try {
      const body = readYaml(draft) as Written;
      const made = kindOf(kinds, body) ?? kind;
      const path = pathOf(made, { namespace: body.metadata?.namespace ?? (route.namespace || DEFAULT_NAMESPACE) });
      const query = `fieldValidation=Warn&fieldManager=binnacle-dashboard${isTrial ? '&dryRun=All' : ''}`;
      const { value, warnings } = await request<ApiObject>({ method: 'POST', path: `${path}?${query}`, body });
      if (isTrial) setTold([text.wouldBeMade, ...warnings]);
      else
        go({
          page: 'object',
          gvr: made,
          namespace: value.metadata.namespace ?? '',
          name: value.metadata.name,
          tab: 'summary',
        });
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <Stack gap="sm" h="100%">
      <Title order={1} size="h3">
        {text.create}: {kind.kind}
      </Title>
      <Group gap="sm">
        <Button size="xs" variant="default" onClick={() => void send(true)}>
          {text.tryIt}
        </Button>
        <Button size="xs" onClick={() => void send(false)}>
          {text.create}
        </Button>
        <Text size="sm" c="dimmed">
          {text.sameAs}: <Code>kubectl create -f -</Code>
        </Text>
      </Group>
      <Answer error={error} told={told} />
      <SimpleGrid cols={{ base: 1, md: 2 }} mih={{ base: '60rem', md: 0 }} style={{ flex: 1 }}>
        <ScrollArea>
          <Form draft={draft} schema={schema} onChange={change} />
        </ScrollArea>
        <YamlEditor label={text.yaml} value={draft} schema={schema} onChange={change} />
      </SimpleGrid>
    </Stack>
  );
}

/** Of what somebody wrote, what says where it goes. */
interface Written {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly namespace?: string } | null;
}

/** What kubectl takes where nobody says another one. */
const DEFAULT_NAMESPACE = 'default';

/** Who pastes another kind than the page is about means what he pasted. */
function kindOf(kinds: readonly Resource[], { apiVersion, kind }: Written): Resource | undefined {
  return kinds.find((one) => {
    const own = one.group === '' ? one.version : `${one.group}/${one.version}`;
    return one.kind === kind && own === apiVersion;
  });
}

interface AnswerProps {
  readonly error: string | undefined;
  /** What the server said to a trial. */
  readonly told: readonly string[] | undefined;
}

function Answer({ error, told = [] }: AnswerProps): ReactNode {
  const text = useText();
  return (
    <>
      {error === undefined ? null : (
        <Alert color="red" role="alert" style={{ whiteSpace: 'pre-wrap' }}>
          {error}
        </Alert>
      )}
      {told.map((one) => (
        <Alert key={one} color={one === text.wouldBeMade ? 'teal' : 'orange'} role="status">
          {one}
        </Alert>
      ))}
    </>
  );
}

interface FormProps {
  readonly draft: string;
  readonly schema: KindSchema | undefined;
  readonly onChange: (draft: string) => void;
}

function Form({ draft, schema, onChange }: FormProps): ReactNode {
  const text = useText();
  const object = useMemo(() => parsed(draft), [draft]);
  if (object === undefined) return <Alert color="orange">{text.noYaml}</Alert>;
  const change = ({ path }: FormField, value: unknown): void => onChange(yamlOf(withValue(object, path, value)));
  return (
    <Stack gap="xs" pr="md">
      {formFields(object).map((field) => (
        <Field key={field.label} field={field} schema={schema} onChange={(value) => change(field, value)} />
      ))}
    </Stack>
  );
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
