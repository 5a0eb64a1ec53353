import { expect } from 'chai';
import { contentPartOf } from './contentParts.ts';

/** The values of `type` in messages of the official SDKs, without tool definitions and options. */
const DECLARED: Readonly<Record<string, string>> = {
  'npm openai 6.49.0, ChatCompletionMessageParam and ChatCompletionMessage':
    'custom file function image_url input_audio refusal text url_citation',
  'npm openai 6.49.0, ResponseInputItem and ResponseOutputItem':
    'additional_tools apply_patch_call apply_patch_call_output click code_interpreter_call compaction ' +
    'compaction_trigger computer_call computer_call_output computer_screenshot container_file_citation create_file ' +
    'custom_tool_call custom_tool_call_output delete_file double_click drag exec exit file_citation file_path ' +
    'file_search_call find_in_page function_call function_call_output image image_generation_call input_file ' +
    'input_image input_text item_reference keypress local_shell_call local_shell_call_output logs ' +
    'mcp_approval_request mcp_approval_response mcp_call mcp_list_tools message move open_page output_text program ' +
    'program_output reasoning reasoning_text refusal screenshot scroll search shell_call shell_call_output ' +
    'summary_text timeout tool_search_call tool_search_output type update_file url url_citation wait web_search_call',
  'npm @anthropic-ai/sdk 1.12.0, MessageParam and Message':
    'base64 bash_code_execution_output bash_code_execution_result bash_code_execution_tool_result ' +
    'bash_code_execution_tool_result_error browser_state char_location code_execution_output code_execution_result ' +
    'code_execution_tool_result code_execution_tool_result_error container_upload content content_block_location ' +
    'document download_completed download_failed download_started encrypted_code_execution_result ephemeral file ' +
    'image message page_location redacted_thinking search_result search_result_location server_tool_use tab_opened ' +
    'text text_editor_code_execution_create_result text_editor_code_execution_str_replace_result ' +
    'text_editor_code_execution_tool_result text_editor_code_execution_tool_result_error ' +
    'text_editor_code_execution_view_result thinking tool_reference tool_result tool_search_tool_result ' +
    'tool_search_tool_result_error tool_search_tool_search_result tool_use url web_fetch_result ' +
    'web_fetch_tool_result web_fetch_tool_result_error web_search_result web_search_result_location ' +
    'web_search_tool_result web_search_tool_result_error',
  'npm @anthropic-ai/sdk 1.12.0, BetaMessageParam and BetaMessage':
    'advisor_redacted_result advisor_result advisor_tool_result advisor_tool_result_error compaction fallback ' +
    'mcp_tool_listing mcp_tool_result mcp_tool_use refusal tool_addition tool_removal',
  'Model Context Protocol 2025-06-18, ContentBlock': 'text image audio resource resource_link',
};

describe('contentPartOf', () => {
  for (const [source, types] of Object.entries(DECLARED)) {
    it(`has a row for every type in ${source}`, () => {
      const missing = types.split(' ').filter((type) => contentPartOf(type) === undefined);
      expect(missing, 'add them to contentParts.ts').to.deep.equal([]);
    });
  }

  it('has no row for names that every object inherits', () => {
    for (const type of ['constructor', '__proto__', 'toString']) expect(contentPartOf(type)).to.equal(undefined);
  });
});
