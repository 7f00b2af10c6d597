import type { ServiceManager } from "@jupyterlab/services";
import { listening } from "./link";

interface Answer {
  readonly text: string;
  readonly name: string;
  readonly problems: readonly string[];
}

/** Ask `studio/programs/translate.py`, in a kernel that lives as long as the question. */
async function asked(services: ServiceManager.IManager, call: string): Promise<Answer> {
  const kernel = await services.kernels.startNew();
  try {
    await listening(kernel);
    const { content } = await kernel.requestExecute({
      code: "",
      silent: true,
      store_history: false,
      user_expressions: { answer: `__import__('dali_studio.studio.programs.translate', fromlist=['_']).${call}` },
    }).done;
    const answer = content.user_expressions?.answer;
    const found = answer?.data?.["application/json"] as Answer | undefined;
    if (!found) throw new Error(answer?.evalue ?? content.evalue ?? "The kernel gave no answer.");
    return found;
  } finally {
    await kernel.shutdown();
    kernel.dispose();
  }
}

async function translated(services: ServiceManager.IManager, call: string): Promise<Answer> {
  const answer = await asked(services, call);
  if (!answer.text) throw new Error(answer.problems.join("\n"));
  return answer;
}

/** A text as Python writes it: JSON's form, but for what only one of them escapes. */
const literal = (text: string) => JSON.stringify(text);

/** The document of the pipeline that a program defines; the program is read and not run. */
export function toDocument(services: ServiceManager.IManager, program: string, pipeline = ""): Promise<Answer> {
  return translated(services, `to_document(${literal(program)}, ${literal(pipeline)})`);
}

/** The program of a document. */
export function toProgram(
  services: ServiceManager.IManager,
  path: string,
  text: string,
  dialect: string,
): Promise<Answer> {
  return translated(services, `to_program(${literal(text)}, ${literal(dialect)}, ${literal(path)})`);
}
