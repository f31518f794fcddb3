import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '../route/link.tsx';
import type { Route } from '../route/route.ts';
import { Loading } from '../shell/loading.tsx';
import { currentLanguage, useText } from '../texts/use-text.ts';
import { LessonPage } from './lesson-page.tsx';
import { useLessons } from './use-lessons.ts';

interface LessonsPageProps {
  readonly route: Extract<Route, { readonly page: 'lessons' }>;
}

/** Stories to do on the live cluster: all of them, or one. */
export function LessonsPage({ route }: LessonsPageProps): ReactNode {
  const text = useText();
  const language = currentLanguage();
  const lessons = useLessons(language);
  if (lessons === undefined) return <Loading />;
  const chosen = lessons.get(route.name);
  if (chosen !== undefined) return <LessonPage key={`${route.name} ${language}`} lesson={chosen} />;
  return (
    <Stack gap="md" maw={900}>
      <Title order={1} size="h3">
        {text.lessons}
      </Title>
      <Text c="dimmed" size="sm">
        {text.lessonsHint}
      </Text>
      {[...lessons].map(
        (
          [
            name,
            {
              title,
              intro: [first],
            },
          ],
          at,
        ) => (
          <Card key={name} withBorder padding="sm">
            <Link to={{ page: 'lessons', name }}>
              {at + 1}. {title}
            </Link>
            <Text size="sm">{first?.type === 'text' ? first.spans.map((span) => span.text).join('') : null}</Text>
          </Card>
        ),
      )}
    </Stack>
  );
}
