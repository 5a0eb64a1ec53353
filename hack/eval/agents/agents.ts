/** The packages of agents, and where in each are the texts that it sends with its calls. Gemini CLI and Cline are no part of it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PinnedPackage } from '../../corpora/packages.ts';
import { stringsOf } from '../../corpora/readers.ts';
import { promptsAmong, pythonLiterals, scriptLiterals } from './readers.ts';

/** Reads texts in the folder of an unpacked package. */
type Reader = (folder: string) => string[];

export interface Agent {
  readonly name: string;
  readonly package: PinnedPackage;
  readonly read: readonly Reader[];
}

const filesIn = (folder: string, pattern: string): string[] =>
  globSync(pattern, { cwd: folder }).sort().map((file) => join(folder, file)); // prettier-ignore
const each = (pattern: string, read: (content: Buffer) => string[]): Reader => (folder) =>
  filesIn(folder, pattern).flatMap((file) => read(readFileSync(file))); // prettier-ignore

/** Whole files: prompts, instructions, skills. */
const documents = (pattern: string): Reader => each(pattern, (content) => [content.toString()]);
/** The strings of more than one word in YAML or JSON. */
const data = (pattern: string): Reader =>
  each(pattern, (content) => stringsOf(parse(content.toString())).filter((text) => /\S\s\S/.test(text)));
/** Python files with prompts and tools. */
const python = (pattern: string): Reader => (folder) => promptsAmong(pythonLiterals(filesIn(folder, pattern)), false); // prettier-ignore
/** A bundle of JavaScript that is minified. */
const bundle = (pattern: string): Reader =>
  each(pattern, (content) => promptsAmong(scriptLiterals(content.toString()), true));
/** A bundle of esbuild, where a comment names the file of each module. */
const modules = (pattern: string, files: RegExp): Reader =>
  each(pattern, (content) => {
    const parts = content.toString().split(/^\/\/ (?=\S+\.[jt]sx?$)/m).filter((part) => files.test(part.split('\n', 1)[0] ?? '')); // prettier-ignore
    return promptsAmong(parts.flatMap(scriptLiterals), false);
  });
/** The sources in a source map. */
const mapped = (pattern: string, files: RegExp): Reader =>
  each(pattern, (content) => {
    const { sources, sourcesContent } = JSON.parse(content.toString()) as { sources: string[]; sourcesContent: string[] };
    return promptsAmong(sourcesContent.filter((_, index) => files.test(sources[index] ?? '')).flatMap(scriptLiterals), false);
  }); // prettier-ignore
/** The modules in an executable of Bun: texts between zero bytes. */
const compiled = (pattern: string, marks: RegExp): Reader =>
  each(pattern, (content) => {
    const parts = content.toString('utf8').split('\0').filter((part) => part.length > 1000 && marks.test(part)); // prettier-ignore
    return promptsAmong(parts.flatMap(scriptLiterals), true);
  });
/** The prompts of models in the JSON that an executable contains. */
const embedded = (pattern: string, keys: RegExp): Reader =>
  each(pattern, (content) =>
    [...content.toString('latin1').matchAll(/"(\w+)": ?("(?:[^"\\\0-\x1f]|\\.)+")/g)]
      .filter(([, key = '']) => keys.test(key))
      .map(([, , value = '']) => JSON.parse(Buffer.from(value, 'latin1').toString()) as string),
  );

const agent = (
  name: string,
  client: 'npm' | 'pip',
  packageName: string,
  version: string,
  file: string,
  sha256: string,
  ...read: Reader[]
): Agent => ({ name, package: { client, name: packageName, version, file, sha256 }, read });

// prettier-ignore
export const agents: readonly Agent[] = [
  agent('Claude Code', 'npm', '@anthropic-ai/claude-code', '2.0.76', 'anthropic-ai-claude-code-2.0.76.tgz', 'fca39936ff8e9310c8e4c6833d6455341b92acd92317785f0f773ee74391b9d9',
    bundle('package/cli.js')),
  agent('Codex', 'npm', '@openai/codex', '0.100.0-linux-x64', 'openai-codex-0.100.0-linux-x64.tgz', '674f3cc2cbfbf0204b973dddbdc2b7937e0e2a7144cd3e0dc6166cce3a546691',
    embedded('package/vendor/*/codex/codex', /^(?:base_instructions|instructions_template|personality_\w+)$/)),
  agent('Continue', 'npm', '@continuedev/cli', '1.5.47', 'continuedev-cli-1.5.47.tgz', 'bcf43fd5db041dbff4ee2eb9639a8cc732eba5d7f5ea137c0ef2025976fa3724',
    mapped('package/dist/index.js.map', /\/src\/(?:systemMessage|tools\/\w+)\.ts$/)),
  agent('opencode', 'npm', 'opencode-linux-x64', '1.18.33', 'opencode-linux-x64-1.18.33.tgz', '149a676b59224b196626abda2fdbd34c8329ac326b57c4891ba3de446f3ca3c1',
    compiled('package/bin/opencode', /You are (?:OpenCode|opencode)|Use this tool/)),
  agent('Qwen Code', 'npm', '@qwen-code/qwen-code', '0.24.4', 'qwen-code-qwen-code-0.24.4.tgz', '7840ff5c70010be9bd7c903d1ec0893893f5429fde5b4e8a189f61450269d8f4',
    modules('package/chunks/*.js', /^packages\/core\/src\/(?:agents|core\/prompts|skills|subagents|tools|memory)\b/)),
  agent('Aider', 'pip', 'aider-chat', '0.86.2', 'aider_chat-0.86.2-py3-none-any.whl', '64f6a0c66c9f4633ad9f479bca3e64ebcba02b9da03c6b604b74a44736b2416e',
    python('aider/{prompts,watch_prompts,coders/*_prompts,coders/*_func_coder}.py')),
  agent('AutoGen', 'pip', 'autogen-agentchat', '0.7.5', 'autogen_agentchat-0.7.5-py3-none-any.whl', 'd19ca8ec26cb15e071a56c4269140aea2bf3c718bdc7e06f6677af9a905815ba',
    python('autogen_agentchat/{agents,teams}/**/*.py')),
  agent('Browser Use', 'pip', 'browser-use', '0.13.14', 'browser_use-0.13.14-py3-none-any.whl', '0023721820b32a71f209955960eb771f7683cde4ddc2071f36b1641b04925095',
    documents('browser_use/agent/system_prompts/*.md'), python('browser_use/{agent/*,tools/**/*}.py')),
  agent('CrewAI', 'pip', 'crewai', '1.15.30', 'crewai-1.15.30-py3-none-any.whl', 'a54909d778971a7ef21b6a1d52a59090fcc3e1c3fb09bb5ea5b117e6157e0e65',
    data('crewai/translations/en.json'), python('crewai/{tools,utilities,memory}/**/*.py')),
  agent('Deep Agents', 'pip', 'deepagents', '0.7.32', 'deepagents-0.7.32-py3-none-any.whl', '366bd66c786a66c8d639e40f99614d9e5d37236adf4c5b158f0b2cb27956e28b',
    python('deepagents/{*,middleware/*,profiles/**/*}.py')),
  agent('GPT Engineer', 'pip', 'gpt-engineer', '0.1.0', 'gpt_engineer-0.1.0-py3-none-any.whl', 'd7a10d20b2e7d44c880e230f5c87e01265c59efb44d3d90af0427e3ed0f43512',
    documents('gpt_engineer/preprompts/*')),
  agent('MetaGPT', 'pip', 'metagpt', '0.8.2', 'metagpt-0.8.2-py3-none-any.whl', 'aa077423aad6ed5e2cef762a71f028b54105adb3776a76cdcadc80aa716ff611',
    python('metagpt/{actions,prompts,roles,strategy}/**/*.py')),
  agent('mini-SWE-agent', 'pip', 'mini-swe-agent', '2.4.6', 'mini_swe_agent-2.4.6-py3-none-any.whl', 'a35463c553ac825c7773b03cfa69cd44958e3af20155dcc5711fdf9e4c67cd54',
    data('minisweagent/config/**/*.yaml')),
  agent('Open Interpreter', 'pip', 'open-interpreter', '0.4.3', 'open_interpreter-0.4.3-py3-none-any.whl', 'bb694b826b11986a305b7d34acbabae830481bb1180b52fe1b912e882a21b590',
    python('interpreter/{core,core/llm,terminal_interface/profiles/defaults}/**/*.py')),
  agent('OpenHands', 'pip', 'openhands-tools', '1.58.2', 'openhands_tools-1.58.2-py3-none-any.whl', 'd163d9c8346ab262539deb7ae5750cd8cfae3af90cd915b9980428aba421fcb0',
    documents('openhands/**/*.{j2,md}'), python('openhands/tools/**/*.py')),
  agent('smolagents', 'pip', 'smolagents', '1.26.0', 'smolagents-1.26.0-py3-none-any.whl', '70e1cfb1576f782da93190ee31d9bb2659e5ca4bd84fda0c412e1f20498f28b6',
    data('smolagents/prompts/*.yaml'), python('smolagents/{default_tools,agents,vision_web_browser}.py')),
];
