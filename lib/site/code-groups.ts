/** Labels of the languages that a reader chooses from. */
const labels: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  swift: 'Swift',
  kotlin: 'Kotlin',
  python: 'Python',
};

/** Returns a text in which the same example in several languages, one block behind the other, is one block with tabs. */
export const withCodeGroups = (markdown: string): string =>
  markdown.replaceAll(
    /^```(?:sh|swift)\n(?:(?!```).*\n)*```(?:\n\n```(?:ts|swift|kotlin|python|sh)\n(?:(?!```).*\n)*```)+$/gm,
    (blocks) =>
      `::: code-group\n\n${blocks.replaceAll(/^```(\w+)$/gm, (_, language: string) => `\`\`\`${language} [${labels[language]}]`)}\n\n:::`,
  );

/** The language of the block that becomes the form of an operation. */
export const tryItBlock = 'try-it';

/** Returns the page of an operation with a form behind its samples. */
export const withForm = (markdown: string): string =>
  markdown.replace('\n\n:::\n', `\n\n:::\n\n\`\`\`${tryItBlock}\n\`\`\`\n`);
