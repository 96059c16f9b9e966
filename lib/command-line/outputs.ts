/** The outputs of the last deployment from this folder. `npm run deploy` writes them, and the next commands read them. */
import { readFileSync } from 'node:fs';
import { CommandFailure } from './command-line.ts';

export const defaultStage = 'development';

export const outputsFile = (stage: string): string => `.outputs/${stage}.json`;

export type Outputs = Readonly<Record<string, string>>;

/** @throws CommandFailure when the stage was not deployed from this folder. */
export function readOutputs(stage: string, file = outputsFile(stage)): Outputs {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(
      `The stage "${stage}" was not deployed from this folder: ${file} does not exist. ` +
        `Run "npm run deploy -- -c stage=${stage}", or name what the command needs; --help lists it.`,
      { cause },
    );
  }
  return Object.assign({}, ...Object.values(JSON.parse(text) as Record<string, Outputs>)) as Outputs;
}

/** @throws CommandFailure that says which setting creates the output. */
export function requiredOutput(outputs: Outputs, name: string, setting = ''): string {
  const value = outputs[name];
  if (value) return value;
  const hint = setting ? ` Set ${setting} and deploy again.` : '';
  throw new CommandFailure(`The deployment has no output "${name}".${hint}`);
}
