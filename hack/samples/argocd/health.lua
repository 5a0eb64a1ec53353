-- The health of a GatewayBudget, a GatewayCustomer, a GatewayInstance or a GatewayKey for Argo CD. Their conditions are the same.
local function health(status, message)
  return { status = status, message = message }
end

local status = obj.status or {}
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end
local ready = conditions.Ready

if obj.metadata.deletionTimestamp ~= nil then
  local waiting = ready ~= nil and ready.status ~= "True" and ready.message
  return health("Progressing", waiting or "The resource is being deleted.")
end
if ready ~= nil and ready.reason == "Paused" then
  return health("Suspended", ready.message)
end
if ready == nil or status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", "The operator has not seen this version of the resource yet.")
end
if ready.status == "True" then
  return health("Healthy", ready.message)
end
if conditions.Stalled ~= nil and conditions.Stalled.status == "True" then
  return health("Degraded", conditions.Stalled.message)
end
return health("Progressing", ready.message)
